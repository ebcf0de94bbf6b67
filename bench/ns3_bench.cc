/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * ns3_bench [SECONDS]: one CUBIC flow of ns-3 over 100 Mbit/s, 50 ms each way,
 * with a queue of 1000 packets and no loss. Prints one line: goodput in bit/s,
 * processor seconds, packets sent. bench/ns3 builds and runs it.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

using namespace ns3;

static const uint16_t port = 5201;
static uint64_t packets;

static void count(Ptr<const Packet>)
{
	packets++;
}

/* As Linux has them; ns-3's own defaults differ. */
static void set_hosts()
{
	Config::SetDefault("ns3::TcpL4Protocol::SocketType",
			   TypeIdValue(TcpCubic::GetTypeId()));
	Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
	Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
	Config::SetDefault("ns3::TcpSocket::SndBufSize",
			   UintegerValue(64 << 20));
	Config::SetDefault("ns3::TcpSocket::RcvBufSize",
			   UintegerValue(64 << 20));
	Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
	Config::SetDefault("ns3::TcpSocketBase::MinRto",
			   TimeValue(MilliSeconds(200)));
}

static NetDeviceContainer lay(const NodeContainer &nodes)
{
	PointToPointHelper link;
	TrafficControlHelper queue;
	NetDeviceContainer devices;

	link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
	link.SetChannelAttribute("Delay", StringValue("50ms"));
	/* what waits does so in the queue above it */
	link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
	devices = link.Install(nodes);
	InternetStackHelper().Install(nodes);
	queue.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize",
			       StringValue("1000p"));
	queue.Install(devices);
	return devices;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? std::atof(argv[1]) : 60;
	NodeContainer nodes(2);
	clock_t began = std::clock();

	set_hosts();
	NetDeviceContainer devices = lay(nodes);
	devices.Get(0)->TraceConnectWithoutContext("PhyTxBegin",
						   MakeCallback(&count));
	Ipv4AddressHelper addresses("10.201.0.0", "255.255.255.0");
	Ipv4InterfaceContainer hosts = addresses.Assign(devices);
	BulkSendHelper source("ns3::TcpSocketFactory",
			      InetSocketAddress(hosts.GetAddress(1), port));
	PacketSinkHelper sink(
	    "ns3::TcpSocketFactory",
	    InetSocketAddress(Ipv4Address::GetAny(), port));
	source.Install(nodes.Get(0));
	ApplicationContainer received = sink.Install(nodes.Get(1));

	Simulator::Stop(Seconds(seconds));
	Simulator::Run();
	double bytes = DynamicCast<PacketSink>(received.Get(0))->GetTotalRx();
	double cpu_s = double(std::clock() - began) / CLOCKS_PER_SEC;
	std::printf("%.0f %.3f %llu\n", bytes * 8 / seconds, cpu_s,
		    (unsigned long long)packets);
	Simulator::Destroy();
	return 0;
}
